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

/** Where the last table ends, as the directories of the fonts say; beyond everything if one of these is not there. */
const endOf = (content: Buffer): number =>
  Math.max(...startsOf(content).map((at) => endAt(content, at)))

const maxFonts = 1_000

/** Where the fonts of a file begin: of a collection there may be many, and each is read. */
const startsOf = (content: Buffer): readonly number[] => {
  if (content.toString('latin1', 0, 4) !== 'ttcf') return [0]
  const count = content.length < 12 ? 0 : content.readUInt32BE(8)
  if (count === 0 || count > maxFonts || 12 + count * 4 > content.length)
    return [Number.POSITIVE_INFINITY]
  return Array.from({ length: count }, (_, index) => content.readUInt32BE(12 + index * 4))
}

const endAt = (content: Buffer, start: number): number => {
  const entries = start + 12
  if (entries > content.length) return Number.POSITIVE_INFINITY
  const tables = content.readUInt16BE(start + 4)
  if (entries + tables * 16 > content.length) return Number.POSITIVE_INFINITY
  const ends = Array.from({ length: tables }, (_, index) => {
    const entry = entries + index * 16
    return content.readUInt32BE(entry + 8) + content.readUInt32BE(entry + 12)
  })
  return Math.max(...ends, entries + tables * 16)
}
