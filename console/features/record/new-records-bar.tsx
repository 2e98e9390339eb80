/** Says that there are new records, which come when the user wants them. */
import type { ReactNode } from 'react'
import { Button } from '../../parts/button.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { NewRecords } from './use-list-changes.ts'
import './changes.css'

export const NewRecordsBar = ({ count, load }: NewRecords): ReactNode => {
  const { changes } = useTexts()
  return (
    <div role="status" className="new-records">
      {count > 0 && (
        <>
          <span>{changes.newRecords(count)}</span>
          <Button
            look="quiet"
            onClick={({ currentTarget }) => {
              // The button goes with its bar.
              currentTarget.closest('main')?.querySelector<HTMLElement>('[role=grid]')?.focus()
              load()
            }}
          >
            {changes.load}
          </Button>
        </>
      )}
    </div>
  )
}
