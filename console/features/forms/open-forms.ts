/** Forms that are open over a page: it stays as long as one is, so that what is typed cannot go with it. */
import { createContext, use, useEffect, useEffectEvent, useState } from 'react'

type FormsPage = {
  /** Called when a form over the page opens or closes. */
  readonly onForm: (isOpen: boolean) => void
  /** Whether the record of the page was removed since, so that its forms cannot be sent. */
  readonly isGone: boolean
}

/** The page that a form is open over. */
export const FormsContext = createContext<FormsPage>({ onForm: () => undefined, isGone: false })

/** Says that a form is open as long as the component is shown; it hears whether its record is gone. */
export const useOpenForm = (): { readonly isGone: boolean } => {
  const { onForm, isGone } = use(FormsContext)
  const tell = useEffectEvent(onForm)
  useEffect(() => {
    tell(true)
    return () => tell(false)
  }, [])
  return { isGone }
}

/** How many forms are open over a part of a page, whose page hears of them too. */
export const useForms = () => {
  const outer = use(FormsContext)
  const [count, setCount] = useState(0)
  const onForm = (isOpen: boolean) => {
    setCount((before) => before + (isOpen ? 1 : -1))
    outer.onForm(isOpen)
  }
  return { isOpen: count > 0, onForm }
}
