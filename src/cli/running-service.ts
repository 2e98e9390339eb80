/** Where the service of a project answers now: noted in its private folder as long as the service runs. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makePrivate } from '../database/private-folder.ts'
import type { Context } from './command.ts'

const fileOf = (project: string) => join(project, '.docket', 'service-address')

const readAddress = async (project: string): Promise<string | undefined> => {
  const text = await readFile(fileOf(project), 'utf8').catch(() => '')
  return URL.canParse(text.trim()) ? text.trim() : undefined
}

/** Notes the address; returns what takes the note away, unless another process has written its own since. */
export const noteService = async (
  project: string,
  address: string,
): Promise<() => Promise<void>> => {
  const file = fileOf(project)
  const draft = `${file}.${process.pid}`
  await makePrivate(join(file, '..'))
  await writeFile(draft, `${address}\n`, { mode: 0o600 })
  await rename(draft, file)
  return async () => {
    if ((await readAddress(project)) === address) await rm(file, { force: true })
  }
}

const patienceMs = 2000

const isAnswered = async (address: string): Promise<boolean> => {
  try {
    const signal = AbortSignal.timeout(patienceMs)
    return (await fetch(`${address}/api/health/live`, { signal })).ok
  } catch {
    return false
  }
}

type Found = {
  readonly address: string
  readonly isRunning: boolean
  /** Whether the service that runs has noted the address itself. */
  readonly isNoted: boolean
}

/** The address of the service that runs, or else the one that the settings give it, and whether it answers. */
export const findService = async (project: string, configured: string): Promise<Found> => {
  const noted = await readAddress(project)
  for (const address of [noted, configured])
    if (address !== undefined && (await isAnswered(address)))
      return { address, isRunning: true, isNoted: address === noted }
  return { address: configured, isRunning: false, isNoted: false }
}

/** Says where a link leads that was made without PUBLIC_URL. */
export const noteAddressOfLink = (
  { config, terminal }: Pick<Context, 'config' | 'terminal'>,
  { address, isNoted }: Pick<Found, 'address' | 'isNoted'>,
): void => {
  if (config.PUBLIC_URL !== undefined || isNoted) return
  terminal.note(
    `PUBLIC_URL is not set here, so the link leads to ${address}. If people reach the service elsewhere, run this with the settings of the service (docs/deploy.md).\n`,
  )
}
