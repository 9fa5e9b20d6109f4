/** Headless Chromium over its own debugging protocol: opens a page, sends real input, asks what came of it. */

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** The first Chromium on this machine; null if there is none. */
export async function findChromium(): Promise<string | null> {
  for (const name of NAMES) {
    try {
      const { success } = await new Deno.Command(name, {
        args: ["--version"],
        stdout: "null",
        stderr: "null",
      }).output();
      if (success) return name;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return null;
}

// deno-lint-ignore no-explicit-any -- answers of the protocol, each of its own form
type Answer = any;

export class Page implements AsyncDisposable {
  /** What the page wrote to its console as an error, and what it threw. */
  readonly errors: string[] = [];
  /** Addresses that it asked for, other than its own file. */
  readonly requests: string[] = [];
  readonly #child: Deno.ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (answer: Answer) => void>();
  readonly #loads: (() => void)[] = [];
  #session: string | undefined;
  #lastId = 0;

  private constructor(child: Deno.ChildProcess, profile: string, socket: WebSocket) {
    this.#child = child;
    this.#profile = profile;
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#take(JSON.parse(data)));
  }

  static async open(chromium: string, path: string): Promise<Page> {
    const profile = await Deno.makeTempDir();
    const child = new Deno.Command(chromium, {
      args: [
        ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
        ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
        ...["--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank"],
      ],
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const socket = new WebSocket(await debuggingAddress(child.stderr));
    await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
    const page = new Page(child, profile, socket);
    await page.#attach();
    await page.load(path);
    return page;
  }

  async load(path: string): Promise<void> {
    const loaded = new Promise<void>((resolve) => this.#loads.push(resolve));
    await this.send("Page.navigate", { url: `file://${path}` });
    await loaded;
  }

  /** The value of an expression in the page, after it has drawn whatever is due. */
  async value(expression: string): Promise<Answer> {
    const drawn = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression: `${drawn}.then(() => (${expression}))`,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? "no value");
    return result.value;
  }

  async pointAt(x: number, y: number): Promise<void> {
    await this.send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
  }

  /** Presses, moves and lets go; a click where it ends where it began. */
  async drag(x: number, y: number, toX = x, toY = y): Promise<void> {
    const button = { button: "left", clickCount: 1 };
    await this.pointAt(x, y);
    await this.send("Input.dispatchMouseEvent", { type: "mousePressed", x, y, ...button });
    const moved = { type: "mouseMoved", x: toX, y: toY, button: "left", buttons: 1 };
    if (toX !== x || toY !== y) await this.send("Input.dispatchMouseEvent", moved);
    const released = { type: "mouseReleased", x: toX, y: toY, ...button };
    await this.send("Input.dispatchMouseEvent", released);
  }

  async wheel(x: number, y: number, deltaY: number): Promise<void> {
    await this.send("Input.dispatchMouseEvent", { type: "mouseWheel", x, y, deltaX: 0, deltaY });
  }

  async press(key: string): Promise<void> {
    const text = key.length === 1 ? { text: key } : key === "Enter" ? { text: "\r" } : {};
    const code = key === "Tab" ? { windowsVirtualKeyCode: 9, code: "Tab" } : {};
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, ...text, ...code });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, ...code });
  }

  async size(width: number, height: number): Promise<void> {
    await this.send("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    });
  }

  async preferTheme(theme: "dark" | "light"): Promise<void> {
    await this.send("Emulation.setEmulatedMedia", {
      features: [{ name: "prefers-color-scheme", value: theme }],
    });
  }

  /** @return a PNG, in base 64 */
  async screenshot(): Promise<string> {
    const { data } = await this.send("Page.captureScreenshot", { captureBeyondViewport: true });
    return data;
  }

  async send(method: string, params: Record<string, unknown> = {}): Promise<Answer> {
    const id = ++this.#lastId;
    const session = this.#session === undefined ? {} : { sessionId: this.#session };
    const answer = new Promise<Answer>((resolve) => this.#answers.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params, ...session }));
    const { result, error } = await answer;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) =>
      this.#socket.addEventListener("close", resolve, { once: true })
    );
    this.#session = undefined;
    await this.send("Browser.close");
    await closed;
    await this.#child.status;
    await Deno.remove(this.#profile, { recursive: true });
  }

  async #attach(): Promise<void> {
    const { targetInfos } = await this.send("Target.getTargets");
    const { targetId } = targetInfos.find(({ type }: Answer) => type === "page");
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    this.#session = sessionId;
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await this.send(`${domain}.enable`);
  }

  #take({ id, method, params, ...answer }: Answer): void {
    if (id !== undefined) {
      this.#answers.get(id)?.(answer);
      this.#answers.delete(id);
    } else if (method === "Page.loadEventFired") this.#loads.shift()?.();
    else if (method === "Runtime.exceptionThrown") {
      this.errors.push(params.exceptionDetails.exception?.description ?? "exception");
    } else if (method === "Runtime.consoleAPICalled" && params.type === "error") {
      this.errors.push(JSON.stringify(params.args));
    } else if (method === "Log.entryAdded" && params.entry.level === "error") {
      this.errors.push(params.entry.text);
    } else if (
      method === "Network.requestWillBeSent" && !/^(file|data):/.test(params.request.url)
    ) {
      this.requests.push(params.request.url);
    }
  }
}

/** Chromium says on stderr where it listens; what it says later is read and dropped. */
async function debuggingAddress(stderr: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let said = "";
  const read = stderr.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({
      write(text) {
        said += text;
        const match = /DevTools listening on (ws:\S+)/.exec(said);
        if (match) resolve(match[1]!);
      },
    }),
  );
  read.then(() => reject(new Error(`Chromium ended: ${said}`)), reject);
  return await promise;
}
