/** Says in a form that it shows what was typed before and not sent, and discards it. */
import type { ReactNode } from 'react'
import { Button } from '../../parts/button.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { KeptForm } from './use-kept-form.ts'
import './restored-note.css'

type NoteProps = { readonly kept: KeptForm }

export const RestoredNote = ({ kept }: NoteProps): ReactNode => {
  const { drafts, record } = useTexts()
  return (
    <div role="status" className="restored-note" hidden={!kept.isRestored}>
      {kept.isRestored && (
        <>
          <span>{drafts.restored}</span>
          <Button look="quiet" onClick={kept.discard}>
            {record.discard}
          </Button>
        </>
      )}
    </div>
  )
}
