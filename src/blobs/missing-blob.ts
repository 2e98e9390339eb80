/** The error of bytes that should be in a store. */

export class MissingBlob extends Error {
  override name = 'MissingBlob'
  constructor(sha256: string, store: string, options?: ErrorOptions) {
    super(`${sha256} is missing in ${store}.`, options)
  }
}
