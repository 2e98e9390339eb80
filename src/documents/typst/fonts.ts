/** The bundled fonts, so that documents look the same on every machine, and those that a project adds. */
import { fileURLToPath } from 'node:url'

type FontPackage = {
  readonly family: string
  /** Its main module; the fonts are in a sibling folder. */
  readonly module: string
  readonly files: readonly string[]
}

const packages: readonly FontPackage[] = [
  {
    family: 'Noto Sans',
    module: import.meta.resolve('@embedpdf/fonts-latin'),
    files: ['Regular', 'Italic', 'Bold', 'BoldItalic'].map((style) => `NotoSans-${style}.ttf`),
  },
  {
    family: 'Noto Naskh Arabic',
    module: import.meta.resolve('@embedpdf/fonts-arabic'),
    files: ['NotoNaskhArabic-Regular.ttf', 'NotoNaskhArabic-Bold.ttf'],
  },
  {
    family: 'Noto Sans Hebrew',
    module: import.meta.resolve('@embedpdf/fonts-hebrew'),
    files: ['NotoSansHebrew-Regular.ttf', 'NotoSansHebrew-Bold.ttf'],
  },
  {
    family: 'Noto Sans S Chinese',
    module: import.meta.resolve('@embedpdf/fonts-sc'),
    files: ['NotoSansHans-Regular.otf', 'NotoSansHans-Bold.otf'],
  },
  {
    family: 'Noto Sans Korean',
    module: import.meta.resolve('@embedpdf/fonts-kr'),
    files: ['NotoSansKR-Regular.otf', 'NotoSansKR-Bold.otf'],
  },
]

/** The default fonts of templates: each script uses the first font that contains it. */
export const fontFamilies: readonly string[] = packages.map(({ family }) => family)

/** Absolute paths. */
export const fontPaths: readonly string[] = packages.flatMap(({ module, files }) =>
  files.map((file) => fileURLToPath(new URL(`../fonts/${file}`, module))),
)

/** Whether a file of the project is a font: every document may use it, also without naming it. */
export const isFont = (path: string): boolean => /\.(ttf|otf|ttc|otc)$/i.test(path)

const outlines: ReadonlySet<string> = new Set(['\0\x01\0\0', 'OTTO', 'true', 'ttcf'])

/** Why documents cannot use a font; undefined: they can, or it is none. */
export const fontFault = (path: string, bytes: Uint8Array): string | undefined => {
  if (/\.(woff2?|eot|pfb)$/i.test(path))
    return 'is a font that documents cannot use; convert it to .ttf or .otf'
  if (!isFont(path)) return undefined
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isWhole = outlines.has(content.toString('latin1', 0, 4)) && endOf(content) <= content.length
  return isWhole ? undefined : 'is no TrueType or OpenType font, or is cut off'
}

/** Where the last table of a font ends, as its directory says; of a collection, the directory of its first font. */
const endOf = (font: Buffer): number => {
  const start =
    font.toString('latin1', 0, 4) === 'ttcf' && font.length > 16 ? font.readUInt32BE(12) : 0
  if (start + 12 > font.length) return Number.POSITIVE_INFINITY
  const entries = start + 12
  const tables = font.readUInt16BE(start + 4)
  if (entries + tables * 16 > font.length) return Number.POSITIVE_INFINITY
  const ends = Array.from({ length: tables }, (_, index) => {
    const entry = entries + index * 16
    return font.readUInt32BE(entry + 8) + font.readUInt32BE(entry + 12)
  })
  return Math.max(...ends, entries + tables * 16)
}
