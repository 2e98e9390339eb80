/** Checks that the service has what the ways of signing in need. */
import { findMissingOfWays } from '../auth/sign-in-ways.ts'
import type { Config } from '../config/load-config.ts'
import type { Project } from '../definitions/load-project.ts'
import { type Finding, findingOfFile } from '../definitions/source-file.ts'

export const checkSignIn = (
  { settings, settingsSource: source }: Project,
  config: Config,
): readonly Finding[] => {
  const missing = findMissingOfWays(config, settings)
  if (!missing) return []
  const { isOfOperator, message } = missing
  return [
    isOfOperator || !source
      ? findingOfFile('SIGN_IN', message)
      : source.finding(['signIn', 'ways'], message),
  ]
}
