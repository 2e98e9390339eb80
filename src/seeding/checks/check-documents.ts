/** Checks the printable documents of seeds: their templates, and the codes that notification rules name. */
import type { Project } from '../../definitions/load-project.ts'
import type { Finding } from '../../definitions/source-file.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { checkTemplateFolder, type SeededDocument } from '../../documents/check-templates.ts'
import {
  openTemplateFolder,
  type TemplateFolder,
  templateFolderName,
} from '../../documents/template-folder.ts'
import type { Cell, RawRecord, SeedFile } from '../files/seed.ts'
import { listSeeds, readSeed } from '../files/seed-file.ts'

/**
 * Findings of seeds with a missing template or entity. A code without a seed is a warning: users may
 * create its record before an e-mail needs it.
 */
export const checkDocuments = async (project: Project): Promise<Finding[]> => {
  const { seeds } = await listSeeds(project)
  const ours = seeds.filter(({ entity }) => entity.key === 'printable_document')
  const files = await Promise.all(ours.map((seed) => readSeed(project, seed)))
  const folder = openTemplateFolder(project.directory)
  const found = await Promise.all(files.map((file) => findingsOf(project, folder, file)))
  const known = new Map(files.flatMap(({ records }) => records.flatMap(codeOf)))
  const content = await folder.read()
  const documents = files.flatMap((file) => seededBy(project, content.files, file))
  const printed = await checkTemplateFolder(project, content.files, documents)
  return [...found.flat(), ...unseeded(project, known), ...printed]
}

/** The documents of a file that have an entity and a template. */
const seededBy = (
  { catalog }: Project,
  files: ReadonlyMap<string, unknown>,
  { records, finding }: SeedFile,
): SeededDocument[] =>
  records.flatMap((record) => {
    const entity = catalog.entities.get(String(cellOf(record, 'entity_key')?.value))
    const file = cellOf(record, 'template_file')
    const source = cellOf(record, 'template_source')
    const cell = file ?? source
    if (!entity || !cell || cell.value === '') return []
    const text = String(cell.value)
    if (cell === file && !files.has(text)) return []
    const template = cell === file ? { file: text } : { source: text }
    const at: SeededDocument['finding'] = (message, severity) => ({
      ...finding(cell.path, message),
      severity,
    })
    return [{ entity, template, finding: at }]
  })

const findingsOf = async (
  { catalog }: Project,
  folder: TemplateFolder,
  { records, finding }: SeedFile,
): Promise<Finding[]> => {
  const { files } = await folder.read()
  const templates = [...files.keys()].filter((path) => path.endsWith('.typ'))
  return records.flatMap((record) => {
    const template = cellOf(record, 'template_file')
    const entity = cellOf(record, 'entity_key')
    return [
      ...(template && template.value !== '' && !files.has(String(template.value))
        ? [finding(template.path, noTemplate(String(template.value), templates))]
        : []),
      ...(entity && !catalog.entities.has(String(entity.value))
        ? [finding(entity.path, noEntity(String(entity.value), catalog.entities.keys()))]
        : []),
    ]
  })
}

const noTemplate = (file: string, known: readonly string[]): string =>
  `there is no file ${templateFolderName}/${file}${didYouMean(file, known)}`

const noEntity = (key: string, known: Iterable<string>): string =>
  `there is no entity "${key}"${didYouMean(key, known)}`

const cellOf = ({ cells }: RawRecord, name: string): Cell | undefined =>
  cells.find(({ target, value }) => target.column.name === name && value !== null)

/** The code of a record, and the entity of its document. */
const codeOf = (record: RawRecord): [code: string, entityKey: string][] => {
  const code = cellOf(record, 'code')
  return code ? [[String(code.value), String(cellOf(record, 'entity_key')?.value)]] : []
}

const unseeded = (
  { catalog, sources }: Project,
  known: ReadonlyMap<string, string>,
): readonly Finding[] =>
  [...sources].flatMap(([key, source]) =>
    (catalog.entities.get(key)?.definition.notifications ?? []).flatMap(({ attachments }, index) =>
      (attachments?.printableDocuments ?? []).flatMap((code, position) => {
        const message = codeIssue(key, code, known)
        if (message === undefined) return []
        const path = ['notifications', index, 'attachments', 'printableDocuments', position]
        return [{ ...source.finding(path, message), severity: 'warning' as const }]
      }),
    ),
  )

const codeIssue = (
  key: string,
  code: string,
  known: ReadonlyMap<string, string>,
): string | undefined => {
  const entity = known.get(code)
  if (entity === key) return undefined
  if (entity !== undefined)
    return `the printable document "${code}" is for ${entity}, not for ${key}`
  const near = didYouMean(code, known.keys())
  return `no seed has the printable document "${code}"${near || '; create its record before an e-mail needs it'}`
}
