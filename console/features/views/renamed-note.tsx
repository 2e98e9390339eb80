/** Says what a view was called before, and gives it that name back. */
import type { ReactNode } from 'react'
import { Button, IconButton } from '../../parts/button.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useTexts } from '../../texts/texts.ts'
import { useViewTexts } from '../../texts/views/texts.ts'
import { useShortcuts } from '../keys/shortcuts.ts'
import { type Renamed, useViewChanges } from './views.ts'

type NoteProps = {
  readonly entity: string
  readonly renamed: Renamed
  readonly onClose: () => void
}

export const RenamedNote = ({ entity, renamed, onClose }: NoteProps): ReactNode => {
  const { common } = useTexts()
  const texts = useViewTexts()
  const { change } = useViewChanges(entity)
  const { id, before } = renamed
  const undo = () => change.mutate({ id, name: before }, { onSuccess: onClose })
  useShortcuts([{ keys: 'z', label: common.undo, run: undo }])
  return (
    <span className="view-renamed" role="status">
      <span dir="auto">{texts.wasCalled(before)}</span>
      <Button look="quiet" disabled={change.isPending} onClick={undo}>
        {common.undo}
      </Button>
      <IconButton label={common.close} icon={closeIcon} onClick={onClose} />
      {change.error && <span role="alert">{change.error.message}</span>}
    </span>
  )
}
