/** The note that the service or its database does not answer, as long as reads wait for it. */
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useCallback, useSyncExternalStore } from 'react'
import { isServiceAway, watchAvailability } from '../../api/availability.ts'
import { useTexts } from '../../texts/texts.ts'
import './away-banner.css'

export const AwayBanner = (): ReactNode => {
  const { problem } = useTexts()
  const client = useQueryClient()
  const subscribe = useCallback(
    (listener: () => void) => watchAvailability(client, listener),
    [client],
  )
  const isAway = useSyncExternalStore(subscribe, () => isServiceAway(client))
  return (
    <div role="status" className="away-banner" hidden={!isAway}>
      {isAway && (
        <>
          <strong>{problem.unreachable}</strong> {problem.unreachableHint}
        </>
      )}
    </div>
  )
}
