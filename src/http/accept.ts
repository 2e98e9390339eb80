/** What a request accepts: the headers `Accept` and `Accept-Language`. */

/** Media types or languages with their quality (RFC 9110, 12.4.2). */
export type Accepted = ReadonlyMap<string, number>

/** Reads such a header; a quality that is no number is 0. */
export const readAccepted = (header: string | undefined): Accepted =>
  new Map(
    (header ?? '')
      .split(',')
      .map((part) => part.split(';').map((piece) => piece.trim()))
      .filter(([name]) => name !== '')
      .map(([name = '', ...parameters]) => {
        const quality = parameters.find((parameter) => /^q\s*=/i.test(parameter))?.split('=')[1]
        return [name, quality === undefined ? 1 : Number(quality) || 0]
      }),
  )

/** The media types of the header `Accept`, in lower case. */
export const readAccept = (header: string | undefined): Accepted =>
  readAccepted(header?.toLowerCase())

/** By the most specific part of the header `Accept` that covers the type. */
export const qualityOf = (accepted: Accepted, type: string): number =>
  accepted.get(type) ?? accepted.get(type.replace(/\/.*/, '/*')) ?? accepted.get('*/*') ?? 0
