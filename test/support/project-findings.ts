/** What `docket check` finds in a project that a test describes. */
import { examineProject } from '../../src/cli/open-project.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { printFinding } from '../../src/definitions/source-file.ts'
import { type ProjectFiles, writeProject } from './service.ts'

export const findingsOf = async (
  files: ProjectFiles,
  variables: Readonly<Record<string, string>> = {},
): Promise<string[]> => {
  const directory = await writeProject(files)
  const { findings } = await examineProject(loadConfig({ PROJECT: directory, ...variables }))
  return findings.map(printFinding)
}
