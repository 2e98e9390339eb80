/** XMLHttpRequest with the answers of a test: it tells at once that half of what is sent has gone. */

export class TestUpload extends EventTarget {
  readonly upload = new EventTarget()
  status = 0
  responseText = ''
  readonly #asked = { method: '', url: '', headers: new Headers() }
  readonly #abort = new AbortController()
  #answered = new Headers()

  open(method: string, url: string): void {
    Object.assign(this.#asked, { method, url })
  }

  setRequestHeader(name: string, value: string): void {
    this.#asked.headers.set(name, value)
  }

  getAllResponseHeaders(): string {
    return [...this.#answered].map(([name, value]) => `${name}: ${value}\r\n`).join('')
  }

  abort(): void {
    this.#abort.abort()
    this.dispatchEvent(new Event('abort'))
  }

  send(body: Blob): void {
    const told = { loaded: body.size / 2, total: body.size }
    this.upload.dispatchEvent(new ProgressEvent('progress', told))
    void this.#answer(body)
  }

  async #answer(body: Blob): Promise<void> {
    const { url, method, headers } = this.#asked
    try {
      const answer = await fetch(url, { method, headers, body, signal: this.#abort.signal })
      this.responseText = await answer.text()
      this.status = answer.status
      this.#answered = answer.headers
      this.dispatchEvent(new Event('load'))
    } catch {
      if (!this.#abort.signal.aborted) this.dispatchEvent(new Event('error'))
    }
  }
}
