/** Lists of work show their first rows, and more of them when the user wants it. */
import { type ReactNode, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { useTexts } from '../../texts/texts.ts'

/** The most that the service gives at once. */
const mostRows = 1000

export type Limit = {
  readonly limit: number
  /** Whether there may be more rows than these, and the service gives more. */
  readonly hasMore: (shown: number) => boolean
  readonly raise: () => void
  readonly reset: () => void
}

export const useLimit = (step: number): Limit => {
  const [limit, setLimit] = useState(step)
  return {
    limit,
    hasMore: (shown) => shown === limit && limit < mostRows,
    raise: () => setLimit(Math.min(limit + step, mostRows)),
    reset: () => setLimit(step),
  }
}

export const MoreWork = ({ limit }: { readonly limit: Limit }): ReactNode => {
  const { common } = useTexts()
  return (
    <Button look="quiet" onClick={limit.raise}>
      {common.more}
    </Button>
  )
}
