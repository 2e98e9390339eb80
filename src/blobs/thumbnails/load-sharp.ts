/** The library that decodes pictures: it is optional, because it is a program of its own for each platform. */

/** Files of these types alone are decoded: what else the library knows, such as SVG, reads further files or runs much code. */
const loaders = {
  'image/avif': 'VipsForeignLoadHeif',
  'image/gif': 'VipsForeignLoadNsgif',
  'image/jpeg': 'VipsForeignLoadJpeg',
  'image/png': 'VipsForeignLoadPng',
  'image/webp': 'VipsForeignLoadWebp',
}

/** Whether thumbnails are made of files of a media type. */
export const isPicture = (mimetype: string): boolean => Object.hasOwn(loaders, mimetype)

/** Undefined where it is not installed. */
export const loadSharp = async () => {
  const sharp = await import('sharp').then(
    (library) => library.default,
    () => undefined,
  )
  // One picture is decoded once, by one thread; nothing of it stays.
  sharp?.cache(false)
  sharp?.concurrency(1)
  sharp?.block({ operation: ['VipsForeignLoad'] })
  sharp?.unblock({ operation: Object.values(loaders) })
  return sharp
}
