/** The bundled fonts, so that documents look the same on every machine. */
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
