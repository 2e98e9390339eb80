/**
 * `docket export`: an export to a file, downloaded over HTTP and verified with the trailers that the service sends
 * before the file is renamed.
 */
import { createHash } from 'node:crypto'
import { createWriteStream, fstatSync } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Transform, type Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import {
  csvDialects,
  csvEncodings,
  dateForms,
  decimalMarks,
  namesOf,
  quotings,
  separators,
} from '../../definitions/values/rules/csv-dialects.ts'
import { errorText, StartupError } from '../../errors.ts'
import { exportFormatNames } from '../../export/export-formats.ts'
import { type Command, type Context, exitCodes } from '../command.ts'
import { createProgress, type Progress } from '../output.ts'
import { problemText, serviceOptions, unreachable, withService } from '../own-service.ts'

const csvPart = (names: readonly string[], help: string) =>
  ({ type: 'string', value: 'NAME', help: `${help}: ${names.join(', ')}.` }) as const

/** The parameters of the dialect of CSV, by their names. */
const csvOptions = {
  dialect: csvPart(namesOf(csvDialects), 'Dialect of CSV; the next options change parts of it'),
  separator: csvPart(namesOf(separators), 'Between the fields of CSV'),
  decimal: csvPart(namesOf(decimalMarks), 'Before the fraction of decimals in CSV'),
  dates: csvPart(dateForms, 'Days in CSV; times are local with all but iso'),
  encoding: csvPart(namesOf(csvEncodings), 'Encoding of CSV'),
  quoting: csvPart(quotings, 'Which fields of CSV are quoted'),
} satisfies Command['options']

export const command: Command = {
  usage: 'ENTITY',
  summary: 'Export records to a file or to standard output, completely or not at all.',
  options: {
    where: {
      type: 'string',
      value: 'JSON',
      help: 'A $where object, such as \'{"urgency":"high"}\'.',
    },
    criteria: {
      type: 'string',
      value: 'JSON',
      help: 'Whole query criteria ($where, $orderBy, $select).',
    },
    format: {
      type: 'string',
      value: 'NAME',
      help: `${exportFormatNames.join(', ')} (default csv).`,
    },
    ...csvOptions,
    bom: { type: 'boolean', help: 'Begin CSV in UTF-8 with a byte order mark.' },
    names: {
      type: 'boolean',
      help: 'Names of choices, steps and fields in place of keys, for people.',
    },
    language: {
      type: 'string',
      value: 'TAG',
      help: 'Language of --names, such as de (default: that of the definitions).',
    },
    out: { type: 'string', value: 'FILE', help: 'The file to write (default: standard output).' },
    ...serviceOptions,
  },
  positionals: 1,
  run: async (context) => {
    const body = criteriaOf(context)
    await checkTarget(context)
    return withService(context, 'docket export', ({ url, token }) =>
      download(context, { url, token, body }),
    )
  },
}

const criteriaOf = ({ options }: Context): unknown => {
  const read = (name: string): unknown => {
    const text = options[name]
    if (typeof text !== 'string') return undefined
    try {
      return JSON.parse(text)
    } catch (error) {
      throw new StartupError(`--${name} is not JSON: ${(error as Error).message}`, { cause: error })
    }
  }
  const where = read('where')
  const criteria = read('criteria')
  if (where !== undefined && criteria !== undefined)
    throw new StartupError('Give --where or --criteria, not both.')
  return criteria ?? (where === undefined ? {} : { $where: where })
}

type Download = { readonly url: string; readonly token: string; readonly body: unknown }

const download = async (
  { options, positionals, terminal }: Context,
  { url, token, body }: Download,
): Promise<number> => {
  const format = typeof options.format === 'string' ? options.format : 'csv'
  const entity = positionals[0] ?? ''
  const out = typeof options.out === 'string' ? options.out : undefined
  const part = out === undefined ? undefined : `${out}.part`
  const progress = createProgress(terminal, {
    format,
    isShown: out !== undefined || isFile(stdout),
  })
  try {
    const target = part === undefined ? terminal.stdout : createWriteStream(part)
    const csv = [...namesOf(csvOptions), 'bom'].flatMap((name) => {
      const value = options[name]
      return value === undefined ? [] : [[name, String(value)] as const]
    })
    const hasNames = options.names === true
    const language = typeof options.language === 'string' ? options.language : undefined
    const request = { url, token, entity, format, csv, hasNames, language, body }
    const result = await downloadExport({
      ...request,
      target,
      endsTarget: part !== undefined,
      progress,
    })
    if (part !== undefined && out !== undefined) await rename(part, out)
    progress.end()
    if (out !== undefined)
      terminal.note(`${out}: ${result.rows} rows, ${result.bytes} bytes, sha-256 checked\n`)
    return exitCodes.done
  } catch (error) {
    progress.end()
    if (part !== undefined) await rm(part, { force: true })
    throw error
  }
}

const stdout = 1

/** Shows no progress where it could mix with rows on a terminal. */
const isFile = (descriptor: number): boolean => fstatSync(descriptor).isFile()

/** Checks that the file can be written, before anything starts. */
const checkTarget = async ({ options }: Context): Promise<void> => {
  const { out } = options
  if (typeof out !== 'string') return
  const found = await stat(out).catch(() => undefined)
  if (found?.isDirectory()) throw new StartupError(`${out} is a folder; name a file in it.`)
  try {
    await (await open(`${out}.part`, 'w')).close()
    await rm(`${out}.part`)
  } catch (error) {
    throw new StartupError(`${out} cannot be written: ${errorText(error)}`, { cause: error })
  }
}

type Options = {
  readonly url: string
  readonly token: string
  readonly entity: string
  readonly format: string
  /** Parameters of the dialect of CSV. */
  readonly csv: readonly (readonly [name: string, value: string])[]
  /** Whether it has names in place of keys. */
  readonly hasNames: boolean
  /** Language of the names; undefined: that of the definitions. */
  readonly language: string | undefined
  readonly body: unknown
  readonly target: Writable
  /** Whether the target ends with the export; standard output does not. */
  readonly endsTarget: boolean
  readonly progress: Progress
}

/** Writes to the target and returns counts; throws when the export is incomplete. */
export const downloadExport = async (
  options: Options,
): Promise<{ rows: number; bytes: number }> => {
  const response = await send(options)
  if (response.statusCode !== 200)
    throw new StartupError(problemText(response.statusCode ?? 0, await text(response)))
  const hash = createHash('sha256')
  let bytes = 0
  const watch = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      bytes += chunk.length
      options.progress.add(chunk)
      done(null, chunk)
    },
  })
  const { target, endsTarget } = options
  try {
    await pipeline(response, watch, target, { end: endsTarget })
  } catch (error) {
    throw new StartupError(endReason(error), { cause: error })
  }
  const rows = response.trailers['x-row-count']
  const digest = response.trailers.digest
  if (rows === undefined || digest === undefined)
    throw new StartupError('The export came without its manifest, so it cannot be verified.')
  if (digest !== `sha-256=${hash.digest('base64')}`)
    throw new StartupError('The export does not match its checksum; it was deleted.')
  return { rows: Number(rows), bytes }
}

const endReason = (error: unknown): string => {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === 'EPIPE') return 'The reader closed the export before its end.'
  if (syscall === 'write' || syscall === 'open')
    return `The export cannot be written: ${errorText(error)}; it was deleted.`
  return 'The export ended early; it was deleted.'
}

const send = (options: Options): Promise<IncomingMessage> => {
  const { url, token, entity, format, csv, hasNames, language, body } = options
  const query = new URLSearchParams({
    manifest: 'true',
    format,
    ...Object.fromEntries(csv),
    ...(hasNames && { names: 'true' }),
  })
  const path = `${url}/${encodeURIComponent(entity)}/export?${query}`
  const request = path.startsWith('https:') ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const sent = request(path, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        ...(language !== undefined && { 'Accept-Language': language }),
      },
    })
    sent.on('response', resolve)
    sent.on('error', (error) => reject(unreachable(url, error)))
    sent.end(JSON.stringify(body))
  })
}
