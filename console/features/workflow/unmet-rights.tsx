/** Why a record cannot be changed or removed now: a condition of the user's role does not hold for it. */
import type { ReactNode } from 'react'
import type { UnmetRight } from '../../api/open-actions.ts'
import type { Entity } from '../../api/types.ts'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { useComparedLabels } from './compared-labels.ts'
import './unmet.css'

type RightsProps = { readonly entity: Entity; readonly rights: readonly UnmetRight[] }

export const UnmetRights = ({ entity, rights }: RightsProps): ReactNode => {
  const texts = useRecordPageTexts()
  const labelsOf = useComparedLabels(entity)
  const unmet = rights.map((one) => ({ right: one.right, labels: labelsOf(one) }))
  const [first, second] = unmet
  const isSame = first !== undefined && first.labels === second?.labels
  const shown = isSame ? [{ right: 'both' as const, labels: first.labels }] : unmet
  return shown.map(({ right, labels }) => (
    <p key={right} className="unmet" dir="auto">
      {texts.unmetRights[right](labels)}
    </p>
  ))
}
