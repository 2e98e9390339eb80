/** English texts of the printable documents of a record. */
export const en = {
  open: 'Open in a new tab',
  download: 'Download',
  noViewer: 'This browser shows no PDFs in a page, so this is a picture of it.',
  failed: 'The document could not be made.',
  boxes: (scripts: string) =>
    `This document prints boxes instead of some characters (${scripts}), because no font has them. An administrator can add a font.`,
}
