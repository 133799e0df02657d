/* A browser starts no worker for a page that was opened from disk, and the search of these pages is a worker. So there, and
   only there, a hidden frame takes its place: the script runs in the frame and the two pass messages as they would. */
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(address) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.documentElement.append(this.frame);
      const room = this.frame.contentWindow;
      room.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      room.importScripts = (...addresses) =>
        addresses.reduce((before, next) => before.then(() => this.load(next)), Promise.resolve());
      this.load(`${new URL(address, location)}`).then(() => {
        this.ready = true;
        this.waiting.forEach((data) => this.postMessage(data));
      });
    }

    load(address) {
      return new Promise((done, failed) => {
        const script = this.frame.contentDocument.createElement("script");
        script.src = address;
        script.onload = done;
        script.onerror = () => failed(new Error(address));
        this.frame.contentDocument.head.append(script);
      });
    }

    postMessage(data) {
      if (!this.ready) return void this.waiting.push(data);
      const room = this.frame.contentWindow;
      room.dispatchEvent(new room.MessageEvent("message", { data }));
    }

    terminate() {
      this.frame.remove();
    }
  };
  window.Worker = window.IFrameWorker;
}
