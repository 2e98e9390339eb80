/** The startup summary: the address of the service, and three commands to paste, with a sample record that differs between starts. */
import type { SignInWays } from '../auth/sign-in-ways.ts'
import { hasRows, type Pool, queryValue } from '../database/pool.ts'
import { bound, join, notDeleted, ref, sql, table } from '../database/sql.ts'
import type { Catalog, Column, Entity } from '../definitions/catalog.ts'
import { isFileColumn } from '../definitions/files.ts'
import type { Project } from '../definitions/load-project.ts'
import { exampleOf } from '../http/openapi/example-value.ts'
import { commandLine, quoted } from './output.ts'

type SummaryOptions = {
  readonly base: string
  /** The address of the console, or a link that signs in. */
  readonly page: string
  readonly project: Project
  /** Shell text for a token of the development issuer; undefined with another issuer. */
  readonly token: string | undefined
  readonly pool: Pool
  /** How people sign in where there is no issuer, and other machines can reach the service. */
  readonly people:
    | {
        readonly ways: Pick<SignInWays, 'whyNoInvitations'>
        /** What is said about the first administrator; undefined if people can sign in. */
        readonly invitation: string | undefined
      }
    | undefined
}

/** The commands use entities and fields of the project. */
export const startupSummary = async ({
  base,
  page,
  project,
  token,
  pool,
  people,
}: SummaryOptions): Promise<string> => {
  const { catalog, settings } = project
  const title = settings.name ?? 'Docket'
  const head = `
  ${title} is up at ${base}
  Console         ${page}
  API page        ${base}/api/docs
`
  if (people) return `${head}\n${peopleText(people, project.directory)}\n`
  if (token === undefined) return `${head}\n`
  return `${head}
  A token for 30 days:
  export TOKEN=${token}
${await linesFor(pool, catalog, base)}
`
}

const peopleText = (
  { ways, invitation }: NonNullable<SummaryOptions['people']>,
  directory: string,
): string => {
  if (ways.whyNoInvitations !== undefined)
    return `  Only API keys are accepted. ${ways.whyNoInvitations}
  ${commandLine('api-key create --user E-MAIL --name NAME', directory)}
`
  const first = invitation === undefined ? '' : `  ${invitation}\n\n`
  return `${first}  People are invited in the console or by
  ${commandLine("invite --email E-MAIL --name 'FULL NAME' --role ROLE", directory)}
`
}

const linesFor = async (pool: Pool, catalog: Catalog, base: string): Promise<string> => {
  const json = `-H 'Content-Type: application/json'`
  const curl = (path: string) =>
    `curl -sS -w '\\n' ${base}${path} -H "Authorization: Bearer $TOKEN"`
  const created = chooseForCreate(catalog)
  const body = created && (await freeSampleBody(pool, created))
  const exported = chooseForExport(catalog)
  const id = exported && (await firstId(pool, exported.entity))
  const examples = [
    created && {
      what: `Create a ${created.name.toLowerCase()}`,
      line: `${curl(`/${created.key}`)} ${json} -d ${quoted(JSON.stringify(body))}`,
    },
    exported && {
      what: 'export with a filter and columns of associations',
      line: `${curl(`/${exported.entity.key}/export`)} ${json} -d ${quoted(JSON.stringify(exported.criteria))} -o ${exported.entity.key}.csv && head -3 ${exported.entity.key}.csv`,
    },
    id !== undefined && { what: 'read one', line: curl(`/${exported?.entity.key}/${id}`) },
  ].filter((example) => typeof example === 'object')
  if (examples.length === 0)
    return '\n  There is no entity yet: write entities/<key>.json, and start again.'
  return `\n  ${examples.map(({ what }) => what).join(', ')}:\n${examples.map(({ line }) => `  ${line}`).join('\n')}`
}

/** The id of an existing record; undefined when there is none. */
const firstId = async (pool: Pool, { key }: Entity): Promise<number | undefined> => {
  const select = sql`SELECT t.id FROM ${table(key)} t WHERE ${notDeleted('t')} ORDER BY t.id LIMIT 1`
  return queryValue<number>(pool, select)
}

const ownEntities = (catalog: Catalog) =>
  [...catalog.entities.values()].filter((entity) => !entity.isNative)

/** The entity with the fewest required fields, among those without required links. */
const chooseForCreate = (catalog: Catalog) => {
  const [entity] = ownEntities(catalog)
    .filter((one) => sampleBody(one) !== undefined)
    .sort((a, b) => neededColumns(a).length - neededColumns(b).length)
  return entity
}

/** The entity with the most associations, filtered by an enum or boolean field if it has one. */
const chooseForExport = (catalog: Catalog) => {
  const [entity] = ownEntities(catalog).sort((a, b) => b.associations.size - a.associations.size)
  if (!entity) return undefined
  const word = entity.columns.find(({ field }) => field.type === 'enum')
  const where =
    word?.field.type === 'enum' ? { [word.name]: word.field.values[0] } : { id: { $lte: 1000 } }
  const paths = [...entity.associations]
    .filter(([, column]) => !column.isSystem)
    .flatMap(([key, column]) => {
      const target = catalog.entities.get(column.target ?? '')
      const display = target?.definition.displayField
      return display ? [`${key}.${display}`] : []
    })
  const own = entity.definition.displayField ?? 'id'
  return {
    entity,
    criteria: { $where: where, $select: [...new Set(['id', own])].concat(paths.slice(0, 3)) },
  }
}

/** The required columns of a new record. */
const neededColumns = (entity: Entity): Column[] =>
  entity.columns.filter(
    ({ field, isSystem }) =>
      !isSystem && 'required' in field && field.required === true && !('default' in field),
  )

/** A body for a new record; undefined when it would need a link or a file. */
const sampleBody = (entity: Entity): Record<string, unknown> | undefined => {
  const columns = neededColumns(entity)
  if (columns.some((column) => column.target !== undefined || isFileColumn(column)))
    return undefined
  const values = columns.map((column) => [column.name, sampleOf(entity, column)] as const)
  return values.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(values)
}

const attempts = 50

/** A body with unique values that no record has yet, if a few attempts find one. */
export const freeSampleBody = async (pool: Pool, entity: Entity): Promise<object | undefined> => {
  for (let attempt = 1; ; attempt++) {
    const body = sampleBody(entity)
    if (!body || attempt === attempts || !(await isTaken(pool, entity, body))) return body
  }
}

const isTaken = async (
  pool: Pool,
  entity: Entity,
  body: Readonly<Record<string, unknown>>,
): Promise<boolean> => {
  const same = entity.columns
    .filter((column) => isUnique(column) && column.name in body)
    .map(({ name, type }) => {
      const value = bound(String(body[name]), type.sqlType())
      return sql`t.${ref(name)} = ${value}`
    })
  if (same.length === 0) return false
  const taken = sql`SELECT FROM ${table(entity)} t WHERE ${join(same, ' OR ')} LIMIT 1`
  return hasRows(pool, taken)
}

const isUnique = ({ field }: Column): boolean => 'unique' in field && Boolean(field.unique)

/** Unique texts keep their form, with other letters and digits. */
const sampleOf = (entity: Entity, column: Column): unknown => {
  const example = exampleOf(entity, column)
  if (!isUnique(column) || typeof example !== 'string') return example
  if (!('pattern' in column.field) && column.field.type === 'string')
    return endingWith(example, Date.now().toString(36), column.field.maxLength)
  for (let attempt = 0; attempt < attempts; attempt++) {
    // Some texts keep their prefix, such as the scheme of a URL.
    const kept = attempt % 2 === 0 ? 0 : Math.ceil(example.length / 2)
    const varied =
      example.slice(0, kept) + example.slice(kept).replaceAll(/[A-Z]|[a-z]|[0-9]/g, varyCharacter)
    const verdict = column.type.check(varied, 'UTC')
    if ('value' in verdict) return varied
  }
  return example
}

/** The varying part is at the end, and is kept when the text is cut. */
const endingWith = (text: string, suffix: string, maxLength = 255): string => {
  const room = maxLength - suffix.length - 1
  return room < 1 ? suffix.slice(-maxLength) : `${text.slice(0, room)} ${suffix}`
}

const varyCharacter = (character: string): string => {
  const [first, size] = /[A-Z]/.test(character)
    ? ['A', 26]
    : /[a-z]/.test(character)
      ? ['a', 26]
      : ['0', 10]
  return String.fromCharCode(String(first).charCodeAt(0) + Math.floor(Math.random() * Number(size)))
}
