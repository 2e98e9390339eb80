/** A picture of a file of the record, as the engine gets it. */

export type Picture =
  | { readonly id: number; readonly mimetype: string; readonly bytes: Uint8Array }
  /** Why it is not printed: an error of the template that does. */
  | { readonly id: number; readonly refusal: string }

/** The function of the local module that prints one: a template that does not name it gets none. */
export const pictureFunction = 'picture'

const formats: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

/** What Typst calls the format of a media type; undefined for what is not printed. */
export const formatOf = (mimetype: string): string | undefined =>
  Object.hasOwn(formats, mimetype) ? formats[mimetype] : undefined

/** Where the engine finds the bytes. No conflict: files of a template folder do not begin with a dot. */
export const picturePath = (id: number): string => `.pictures/${id}`
