/** Reads further rows of a long list. */
import type { ReactNode } from 'react'
import { Button } from '../../parts/button.tsx'
import { useTexts } from '../../texts/texts.ts'

type MoreProps = {
  readonly list: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => unknown
  }
}

export const MoreRows = ({ list }: MoreProps): ReactNode => {
  const { common } = useTexts()
  if (!list.hasNextPage) return null
  return (
    <div className="more-rows">
      <Button disabled={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
        {common.more}
      </Button>
    </div>
  )
}
