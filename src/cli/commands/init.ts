/** `docket init`: creates a project with one entity, one role and a few records. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isProjectFolder } from '../../config/load-config.ts'
import { findLostSchemas } from '../../definitions/checks/check-files.ts'
import { publishedSchemas } from '../../definitions/schemas/published-schemas.ts'
import { StartupError } from '../../errors.ts'
import { type Command, exitCodes, type Terminal } from '../command.ts'
import { commandLine } from '../output.ts'

const templates = fileURLToPath(new URL('../new-project/', import.meta.url))

export const command: Command = {
  usage: 'DIR',
  summary: 'Create a project; in an existing one, update its schemas for editors.',
  options: {},
  takesNoProject: true,
  positionals: 1,
  run: async ({ positionals: [name = '.'], terminal }) => {
    const directory = resolve(name)
    try {
      if (isProjectFolder(directory)) {
        await writeSchemas(directory)
        const mended = await mendReferences(directory)
        const files =
          mended === 0
            ? ''
            : `, and "$schema" of ${mended} ${mended === 1 ? 'file' : 'files'} leads there now`
        terminal.out(`${directory}/schema was updated${files}; nothing else was changed.\n`)
      } else await makeProject(directory, terminal)
    } catch (error) {
      throw readableIssue(directory, error)
    }
    return exitCodes.done
  },
}

const makeProject = async (directory: string, terminal: Terminal): Promise<void> => {
  const files = await templateFiles()
  const taken = files.filter(({ path }) => existsSync(join(directory, path)))
  if (taken.length > 0)
    throw new StartupError(
      `${directory} has ${taken.map(({ path }) => path).join(', ')} already, and docket init does not overwrite files; choose a new folder.`,
    )
  const title = titleOf(basename(directory))
  for (const { path, text } of files) {
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await writeFile(join(directory, path), text.replaceAll('{{title}}', title))
  }
  await writeSchemas(directory)
  const folder = relative(process.cwd(), directory) || '.'
  terminal.out(`${directory} is a project with one entity, one role and four records.\n
  ${commandLine('check', folder)}
  ${commandLine('start', folder)}
`)
}

type TemplateFile = { readonly path: string; readonly text: string }

const templateFiles = async (): Promise<TemplateFile[]> => {
  const entries = await readdir(templates, { recursive: true, withFileTypes: true })
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const file = join(entry.parentPath, entry.name)
        // npm does not include files with that name in a package.
        const path = relative(templates, file).replace(/^gitignore$/, '.gitignore')
        return { path, text: await readFile(file, 'utf8') }
      }),
  )
}

const writeSchemas = async (directory: string): Promise<void> => {
  await mkdir(join(directory, 'schema'), { recursive: true })
  for (const [name, schema] of Object.entries(publishedSchemas))
    await writeFile(
      join(directory, 'schema', `${name}.json`),
      `${JSON.stringify(schema, null, 2)}\n`,
    )
}

/** In a project that was copied, `$schema` leads to where the schemas were. Returns how many files were changed. */
const mendReferences = async (directory: string): Promise<number> => {
  const lost = (await findLostSchemas(directory)).filter(({ named }) =>
    Object.hasOwn(publishedSchemas, basename(named, '.json')),
  )
  for (const { path, text, named } of lost) {
    const back = relative(dirname(path), directory) || '.'
    const reference = `"${back}/schema/${basename(named)}"`
    const changed = text.replace(/("\$schema"\s*:\s*)"[^"]*"/, (_, key) => `${key}${reference}`)
    await writeFile(path, changed)
  }
  return lost.length
}

/** `car-repair_shop` becomes `Car repair shop`. */
const titleOf = (name: string): string => {
  const words = name.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim()
  return words === '' ? 'My project' : words.charAt(0).toUpperCase() + words.slice(1)
}

const readableIssue = (directory: string, error: unknown): unknown => {
  const { code, message } = error as NodeJS.ErrnoException
  return typeof code === 'string'
    ? new StartupError(`${directory} cannot be written: ${message}.`, { cause: error })
    : error
}
