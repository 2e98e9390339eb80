/** Says what a view was called before, and gives it that name back. */
import type { ReactNode } from 'react'
import { Button, IconButton } from '../../parts/button.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import { useViewChanges } from './view-changes.ts'
import type { Renamed } from './views.ts'

type NoteProps = {
  readonly entity: string
  readonly renamed: Renamed
  readonly onClose: () => void
}

export const RenamedNote = ({ entity, renamed, onClose }: NoteProps): ReactNode => {
  const { common } = useTexts()
  const texts = useWorkTexts().views
  const { rename } = useViewChanges(entity)
  const { id, before } = renamed
  const undo = () => rename.mutate({ id, name: before }, { onSuccess: onClose })
  useShortcuts([{ keys: 'z', label: common.undo, run: undo }])
  return (
    <span className="view-renamed" role="status">
      <span dir="auto">{texts.wasCalled(before)}</span>
      <Button look="quiet" disabled={rename.isPending} onClick={undo}>
        {common.undo}
      </Button>
      <IconButton label={common.close} icon={closeIcon} onClick={onClose} />
      {rename.error && <span role="alert">{rename.error.message}</span>}
    </span>
  )
}
