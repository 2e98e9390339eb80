/** Forms that are open: their page stays until they are closed, and asks before changes are lost. */
import { useBlocker } from '@tanstack/react-router'
import { createContext, type ReactNode, use, useEffect, useEffectEvent, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import './forms.css'

type FormsPage = {
  /** Called when a form over the page opens or closes. */
  readonly onForm: (isOpen: boolean) => void
  /** Whether the record of the page was removed since, so that its forms cannot be sent. */
  readonly isGone: boolean
}

/** The page that a form is open over. */
export const FormsContext = createContext<FormsPage>({ onForm: () => undefined, isGone: false })

/** Reports an open form as long as the component is shown; returns whether its record is gone. */
export const useOpenForm = (): { readonly isGone: boolean } => {
  const { onForm, isGone } = use(FormsContext)
  const report = useEffectEvent(onForm)
  useEffect(() => {
    report(true)
    return () => report(false)
  }, [])
  return { isGone }
}

/** Whether a form is open over a part of a page; reports it to the page too. */
export const useForms = () => {
  const outer = use(FormsContext)
  const [count, setCount] = useState(0)
  const onForm = (isOpen: boolean) => {
    setCount((before) => before + (isOpen ? 1 : -1))
    outer.onForm(isOpen)
  }
  return { isOpen: count > 0, onForm }
}

type LeaveProps = {
  /** Called at the moment of leaving. */
  readonly isUnsaved: () => boolean
  readonly onDiscard: () => void
}

/** Asks before the user leaves a page with unsaved changes. */
export const LeaveDialog = ({ isUnsaved, onDiscard }: LeaveProps): ReactNode => {
  const texts = useWorkTexts().record
  const blocker = useBlocker({
    // Another part of the same page keeps the form.
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isUnsaved(),
    // Stored drafts survive closing the page.
    enableBeforeUnload: false,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  const { proceed, reset } = blocker
  const discard = () => {
    onDiscard()
    proceed()
  }
  return (
    <Dialog title={texts.leaveTitle} onClose={reset}>
      <p>{texts.leaveHelp}</p>
      <div className="dialog-actions">
        <Button look="danger" onClick={discard}>
          {texts.discard}
        </Button>
        <Button onClick={proceed}>{texts.keepAndLeave}</Button>
        <Button look="primary" onClick={reset}>
          {texts.stay}
        </Button>
      </div>
    </Dialog>
  )
}

/** Says in a form that its record was removed. The typed values stay, and can be copied. */
export const GoneNote = ({ lines }: { readonly lines: TypedLines }): ReactNode => {
  const { drafts: texts } = useWorkTexts()
  return (
    <div className="form-gone" role="alert">
      <p>{texts.gone}</p>
      <CopyTyped lines={lines} />
    </div>
  )
}

/** The label of each field of a form, and the typed text. */
export type TypedLines = readonly (readonly [label: string, text: string])[]

/** Copies what was typed into a form that cannot be sent. */
export const CopyTyped = ({ lines }: { readonly lines: TypedLines }): ReactNode => {
  const { drafts: texts } = useWorkTexts()
  const text = lines
    .filter(([, typed]) => typed !== '')
    .map(([label, typed]) => `${label}: ${typed}`)
    .join('\n')
  if (text === '') return null
  return <CopyButton text={text} face={texts.copyTyped} copiedFace={texts.copied} />
}
