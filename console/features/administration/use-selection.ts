/** Which rows of a table are selected. */
import { useState } from 'react'

export const useSelection = () => {
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  return {
    selected,
    onSelect: (id: number, isSelected: boolean) =>
      setSelected((before) => {
        const others = [...before].filter((one) => one !== id)
        return new Set(isSelected ? [...others, id] : others)
      }),
    clear: () => setSelected(new Set()),
  }
}
