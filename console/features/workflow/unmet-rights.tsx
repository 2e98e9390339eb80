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
  const unmet = rights.map(({ right, message, ...compared }) => ({
    right,
    message,
    labels: message === null ? labelsOf(compared) : '',
  }))
  const [first, second] = unmet
  const isSame = first?.labels === second?.labels && first?.message === second?.message
  const shown = first && isSame ? [{ ...first, right: 'both' as const }] : unmet
  return shown.map(({ right, labels, message }) => (
    <p key={right} className="unmet" dir="auto">
      {texts.unmetRights[right](labels)} {message}
    </p>
  ))
}
