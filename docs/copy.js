// The copy button of a console block copies its commands alone: no "$ ", and nothing that the program said.
document.addEventListener("click", (event) => {
  const button = event.target.closest(".md-clipboard, .md-code__button[data-md-type='copy']");
  const block = button && button.closest(".language-console");
  const code = block && block.querySelector("code");
  if (!code) return;
  const commands = code.innerText.split("\n").filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
  event.stopImmediatePropagation();
  event.preventDefault();
  navigator.clipboard.writeText(commands.join("\n") + "\n");
  button.classList.add("copied");
  setTimeout(() => button.classList.remove("copied"), 1500);
}, true);
