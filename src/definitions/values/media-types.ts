/**
 * Media types of files with the endings that names have for them: a field that says what it takes asks both, the content and the name,
 * because programs open a file by its name. A type is named as `blobs/media-type.ts` finds it in the content. Forms check by it too.
 */

/** What the types of Microsoft Office and of LibreOffice begin with. */
export const office = 'application/vnd.openxmlformats-officedocument'
export const openDocument = 'application/vnd.oasis.opendocument'

const endings: Readonly<Record<string, readonly string[]>> = {
  'application/epub+zip': ['epub'],
  'application/gzip': ['gz', 'tgz'],
  'application/json': ['json'],
  'application/msword': ['doc', 'dot'],
  'application/octet-stream': ['bin', 'dat'],
  'application/pdf': ['pdf'],
  'application/postscript': ['ps', 'ai'],
  'application/rtf': ['rtf'],
  'application/vnd.ms-excel': ['xls'],
  'application/vnd.ms-outlook': ['msg'],
  'application/vnd.ms-powerpoint': ['ppt'],
  [`${openDocument}.presentation`]: ['odp'],
  [`${openDocument}.spreadsheet`]: ['ods'],
  [`${openDocument}.text`]: ['odt'],
  [`${office}.presentationml.presentation`]: ['pptx'],
  [`${office}.spreadsheetml.sheet`]: ['xlsx'],
  [`${office}.wordprocessingml.document`]: ['docx'],
  'application/x-7z-compressed': ['7z'],
  'application/x-rar-compressed': ['rar'],
  'application/xhtml+xml': ['xhtml'],
  'application/xml': ['xml'],
  'application/zip': ['zip'],
  'audio/aac': ['aac'],
  'audio/flac': ['flac'],
  'audio/mpeg': ['mp3'],
  'audio/ogg': ['ogg', 'oga', 'opus'],
  'audio/wav': ['wav'],
  'audio/x-m4a': ['m4a'],
  'image/avif': ['avif'],
  'image/bmp': ['bmp'],
  'image/gif': ['gif'],
  'image/heic': ['heic', 'heif'],
  'image/heif': ['heif', 'heic'],
  'image/jpeg': ['jpg', 'jpeg', 'jfif'],
  'image/jxl': ['jxl'],
  'image/png': ['png'],
  'image/svg+xml': ['svg'],
  'image/tiff': ['tif', 'tiff'],
  'image/vnd.adobe.photoshop': ['psd'],
  'image/vnd.dwg': ['dwg'],
  'image/webp': ['webp'],
  'image/x-adobe-dng': ['dng'],
  'image/x-canon-cr2': ['cr2'],
  'image/x-canon-cr3': ['cr3'],
  'image/x-icon': ['ico'],
  'image/x-nikon-nef': ['nef'],
  'image/x-sony-arw': ['arw'],
  'message/rfc822': ['eml'],
  'text/calendar': ['ics'],
  'text/css': ['css'],
  'text/csv': ['csv'],
  'text/html': ['html', 'htm'],
  'text/javascript': ['js'],
  'text/markdown': ['md'],
  'text/plain': ['txt', 'log', 'text'],
  'text/tab-separated-values': ['tsv'],
  'text/vcard': ['vcf'],
  'video/mp4': ['mp4', 'm4v'],
  'video/quicktime': ['mov'],
  'video/webm': ['webm'],
}

export const mediaTypes: readonly string[] = Object.keys(endings)

/** The usual ending of a media type, such as `pdf`; undefined of a pattern. */
export const usualEnding = (type: string): string | undefined => endings[type]?.[0]

/** Files of a field, unless the definition says otherwise. */
export const defaultMaxFiles = 50

/** Whether a media type is one of a pattern, such as `image/*`. */
export const isMediaType = (pattern: string, type: string): boolean =>
  pattern === type || (pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1)))

/** The ending of a file name in lower case, without its dot; empty if it has none. */
export const endingOf = (filename: string): string =>
  /.\.([^.]{1,20})$/u.exec(filename)?.[1]?.toLowerCase() ?? ''

/** The media types for which names have this ending. */
const typesOfName = (filename: string): readonly string[] => {
  const ending = endingOf(filename)
  return mediaTypes.filter((type) => endings[type]?.includes(ending))
}

/** Whether a name is one of a file of a pattern: with an ending for it, or with none, by which nothing opens it. */
export const isNamedAs = (pattern: string, filename: string): boolean =>
  endingOf(filename) === '' || typesOfName(filename).some((type) => isMediaType(pattern, type))
