/** What the user has changed, newest first, each with the way back. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { actionsQuery } from '../../api/queries.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyNote, ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useOwnChangesTexts } from '../../texts/own-changes/texts.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import { ActionDialog } from '../workflow/action-dialog.tsx'
import { ChangeItem, nameOfChange } from './change-item.tsx'
import { type Known, undoOf } from './undo-of.ts'
import { useOwnChanges } from './use-own-changes.ts'
import { problemOf, refreshChanged, useTakeBack } from './use-take-back.ts'

/** Takes entries back, by a write at once or by the form of an action. */
const useWays = () => {
  const takeBack = useTakeBack()
  const [asked, setAsked] = useState<Asked>()
  const run = (known: Known) => {
    const undo = undoOf(known)
    if (undo.kind === 'action') setAsked({ known, action: undo.key, etag: undo.etag })
    if (undo.kind === 'write') takeBack.mutate({ known, undo })
  }
  return { takeBack, asked, run, close: () => setAsked(undefined) }
}

export const OwnChangesList = (): ReactNode => {
  const texts = useOwnChangesTexts()
  const { known, error, isPending, onMore } = useOwnChanges()
  const { takeBack, asked, run, close } = useWays()
  const said = useRef<HTMLDivElement>(null)
  const last = known.find((one) => undoOf(one).kind === 'write')
  const undo = (one: Known) => {
    run(one)
    // The button goes away with what it takes back.
    said.current?.focus()
  }
  useShortcuts(last ? [{ keys: 'z', label: texts.lastOne, run: () => undo(last) }] : [])
  if (error) return <ProblemNote error={error} />
  if (isPending && known.length === 0) return <Waiting />
  if (known.length === 0) return <EmptyNote title={texts.empty} />
  return (
    <>
      <div ref={said} role="status" tabIndex={-1} className="own-changes-said">
        <Said takeBack={takeBack} />
      </div>
      <ul className="own-changes-list">
        {known.map((one) => (
          <ChangeItem
            key={one.change.id}
            known={one}
            isBusy={takeBack.isPending || isPending}
            onUndo={() => undo(one)}
          />
        ))}
      </ul>
      {onMore && <Button onClick={onMore}>{texts.more}</Button>}
      {asked && <ActionBack {...asked} onClose={close} />}
    </>
  )
}

/** What was taken back last, or why it could not be. */
const Said = ({ takeBack }: { readonly takeBack: ReturnType<typeof useTakeBack> }): ReactNode => {
  const texts = useOwnChangesTexts()
  const { error, variables, isSuccess } = takeBack
  if (error) {
    const problem = problemOf(error)
    const text = problem ? texts.reasons[problem] : error.message
    return <span className="own-changes-problem">{text}</span>
  }
  if (!isSuccess) return null
  return <span dir="auto">{texts.undone(nameOfChange(variables.known))}</span>
}

type Asked = { readonly known: Known; readonly action: string; readonly etag: string }

/** The form of the action that leads back, if it is open to this user. */
const ActionBack = (props: Asked & { readonly onClose: () => void }): ReactNode => {
  const { known, action: key, etag, onClose } = props
  const { change, entity } = known
  const texts = useOwnChangesTexts()
  const client = useQueryClient()
  const { data } = useQuery(actionsQuery(change.entity, change.entity_id))
  const action = data?.data.find((one) => one.key === key)
  const close = () => {
    onClose()
    void refreshChanged(client, change.entity)
  }
  if (action)
    return (
      <ActionDialog
        entity={entity}
        action={action}
        etag={etag}
        id={change.entity_id}
        name={nameOfChange(known)}
        onClose={close}
      />
    )
  return data ? <p role="alert">{texts.reasons.told}</p> : null
}
