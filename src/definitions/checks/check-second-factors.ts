/** The roles of `signIn.secondFactorFor` in docket.json. */
import { didYouMean } from '../../did-you-mean.ts'
import type { Catalog } from '../catalog.ts'
import type { ProjectSettings } from '../schemas/role-definition.ts'
import type { Finding, SourceFile } from '../source-file.ts'
import { administratorRole } from './check-role.ts'

/** Reports roles that do not exist: their users would sign in without a second factor. */
export const checkSecondFactors = (
  { roles }: Catalog,
  { source, signIn }: { readonly source: SourceFile; readonly signIn: ProjectSettings['signIn'] },
  findings: Finding[],
): void => {
  const known = [administratorRole, ...roles.keys()]
  for (const [index, key] of (signIn?.secondFactorFor ?? []).entries())
    if (!known.includes(key))
      findings.push(
        source.finding(
          ['signIn', 'secondFactorFor', index],
          `there is no role "${key}"${didYouMean(key, known) || '.'}`,
        ),
      )
}
