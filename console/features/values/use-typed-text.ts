/** The text of an input while somebody types in it: it must not change under their hands. */
import { useState } from 'react'

/** Shows what was typed until the input is left, and then what the value reads like. */
export const useTypedText = (shown: string) => {
  const [typed, setTyped] = useState<string>()
  return { text: typed ?? shown, setTyped, forget: () => setTyped(undefined) }
}
