/** The notices of the packages whose code is part of the build: their licences ask for them in every copy. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folderOfPackage = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/

/** A section for each package that one of the modules, absolute paths, belongs to. Throws for one without a licence. */
export const licencesOf = (modules: readonly string[]): string => {
  const folders = modules.flatMap((path) => folderOfPackage.exec(path.replaceAll('\\', '/')) ?? [])
  return [...new Set(folders)].map(noticeOf).sort().join('\n')
}

const noticeOf = (folder: string): string => {
  const { name, version, license, author } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
  if (file === undefined && license === undefined)
    throw new Error(`${folder} names no licence: find out under which it is before it is published`)
  const text = file
    ? readFileSync(join(folder, file), 'utf8').trim()
    : `${license}, ${author?.name ?? author ?? `the authors of ${name}`}`
  return `${name} ${version}\n\n${text}\n\n${'-'.repeat(80)}\n`
}
