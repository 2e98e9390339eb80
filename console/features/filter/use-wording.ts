/** What a filter on an entity needs to be put into the words of the user. */
import { useMemo } from 'react'
import type { Entity } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'
import { columnsAt } from '../list/columns.ts'
import { useReading, useSession } from '../session/session.ts'
import type { Wording } from './describe-filter.ts'

const stepsOf = ({ workflow }: Entity): ReadonlyMap<string, string> =>
  new Map(workflow?.steps.map(({ key, name }) => [key, name ?? key]))

export const useWording = (entity: Entity): Wording => {
  const texts = useTexts()
  const reading = useReading()
  const { entities } = useSession()
  return useMemo(
    () => ({
      columnAt: (path) => columnsAt([path], entity, entities)[0],
      steps: stepsOf(entity),
      reading,
      texts,
    }),
    [entity, entities, reading, texts],
  )
}
