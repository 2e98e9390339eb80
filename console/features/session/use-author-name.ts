/** Who did something, with who really acted where a session acts as another user: "Anna (acting: Administrator)". */
import type { NamedUser } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'

const nameOf = ({ id, full_name: name }: NamedUser): string => name ?? `${id}`

/** Prints the author of an entry of the history, or of an approval. */
export const useAuthorName = () => {
  const { record } = useTexts()
  return (user: NamedUser, acting: NamedUser | null): string =>
    acting ? record.acting(nameOf(user), nameOf(acting)) : nameOf(user)
}
