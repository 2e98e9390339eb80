/** The words that a list is filtered by, for those who mark them. */
import { createContext } from 'react'

export const WordsContext = createContext('')
