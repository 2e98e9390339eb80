/** Files as values of fields, and how the console shows them. */
import type { ShownFile } from '../../api/records/files.ts'

/** The files of a value, in their order. */
export const filesOf = (value: unknown): readonly ShownFile[] =>
  (Array.isArray(value) ? value : [value]).filter(
    (one): one is ShownFile => typeof one === 'object' && one !== null && 'id' in one,
  )

const kinds: Readonly<Record<string, 'picture' | 'pdf' | 'text'>> = {
  'image/avif': 'picture',
  'image/gif': 'picture',
  'image/jpeg': 'picture',
  'image/png': 'picture',
  'image/webp': 'picture',
  'application/pdf': 'pdf',
  'text/plain': 'text',
}

// A larger one would take the memory of the browser.
const mostPixels = 50_000_000

type Sized = Pick<ShownFile, 'mimetype'> & Partial<Pick<ShownFile, 'width' | 'height'>>

/** Whether it is a picture that is shown. */
export const isPicture = ({ mimetype, width, height }: Sized): boolean =>
  kinds[mimetype] === 'picture' && (width ?? 1) * (height ?? 1) <= mostPixels

/** As what the viewer shows it; undefined of what is saved instead. */
export const kindOfFile = (file: Sized): 'picture' | 'pdf' | 'text' | undefined => {
  const kind = kinds[file.mimetype]
  if (kind === 'picture') return isPicture(file) ? kind : undefined
  // Telephones have no viewer.
  return kind === 'pdf' && !navigator.pdfViewerEnabled ? undefined : kind
}

/** The ending of a name, for people; empty if it says nothing. */
export const endingOf = (filename: string): string =>
  /.\.(\w{1,4})$/.exec(filename)?.[1]?.toUpperCase() ?? ''
