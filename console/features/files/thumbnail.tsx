/** What stands for a file in a place of a fixed size, so that nothing moves when it comes: a small picture, or the ending of its name. */
import { type ReactNode, useState } from 'react'
import { endingOf } from './shown-files.ts'
import './viewer.css'

type ThumbnailProps = {
  readonly filename: string
  /** The address of a picture; undefined of other files. */
  readonly src: string | undefined
  /** Whether its name stands next to it, so that it need not be read out twice. */
  readonly isNamed?: boolean
}

export const Thumbnail = ({ filename, src, isNamed = true }: ThumbnailProps): ReactNode => {
  const [failed, setFailed] = useState<string>()
  if (src !== undefined && src !== failed)
    return (
      <img
        className="thumbnail"
        src={src}
        alt={isNamed ? '' : filename}
        title={isNamed ? undefined : filename}
        loading="lazy"
        decoding="async"
        draggable={false}
        // The service may be unable to make one, which says nothing of the file.
        onError={() => setFailed(src)}
      />
    )
  const name = isNamed ? { 'aria-hidden': true } : { role: 'img', 'aria-label': filename }
  return (
    <span className="thumbnail" title={isNamed ? undefined : filename} {...name}>
      {endingOf(filename) || '·'}
    </span>
  )
}
