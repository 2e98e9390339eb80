/** Says what was decided last, until the next decision or until it is closed. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { IconButton } from '../../parts/button.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { TakenAction } from '../workflow/action-dialog.tsx'

type NoteProps = { readonly taken: TakenAction | undefined; readonly onClose: () => void }

export const TakenNote = ({ taken, onClose }: NoteProps): ReactNode => {
  const { common } = useTexts()
  return (
    <div role="status" className="taken-note" hidden={!taken}>
      {taken && (
        <>
          <p>
            <Link to="/$entity/$id" params={{ entity: taken.entity, id: `${taken.id}` }}>
              <bdi>{taken.name}</bdi>
            </Link>{' '}
            → <strong dir="auto">{taken.to.name ?? taken.to.key}</strong>
          </p>
          <IconButton label={common.close} icon={closeIcon} onClick={onClose} />
        </>
      )}
    </div>
  )
}
