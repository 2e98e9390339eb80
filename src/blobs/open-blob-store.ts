/** Opens the store of the settings. */
import { type FilesPlace, filesPlaceOf } from '../config/files-place.ts'
import type { Config } from '../config/load-config.ts'
import type { BlobStore } from './blob-store.ts'
import { openFolderStore } from './folder-store.ts'
import { openS3Store } from './s3-store.ts'

const openPlace = (place: FilesPlace): BlobStore =>
  'bucket' in place ? openS3Store(place) : openFolderStore(place)

export const openBlobStore = (config: Config): BlobStore => openPlace(filesPlaceOf(config))
