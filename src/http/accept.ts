/** What a request accepts: the header `Accept`. */

/** Media types and ranges with their quality (RFC 9110, 12.5.1). */
export type Accepted = ReadonlyMap<string, number>

/** Reads the header. */
export const readAccept = (header: string | undefined): Accepted =>
  new Map(
    (header ?? '')
      .toLowerCase()
      .split(',')
      .map((part) => part.split(';').map((piece) => piece.trim()))
      .filter(([type]) => type !== '')
      .map(([type = '', ...parameters]) => {
        const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
        return [type, quality === undefined ? 1 : Number(quality) || 0]
      }),
  )

/** By the most specific part of the header that covers the type. */
export const qualityOf = (accepted: Accepted, type: string): number =>
  accepted.get(type) ?? accepted.get(type.replace(/\/.*/, '/*')) ?? accepted.get('*/*') ?? 0
