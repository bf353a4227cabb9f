import { fileURLToPath } from 'node:url'

// Right for each module of a room, and for the bundle of the rooms, which is a folder beside them.
/** The folder of this package, which contains its package.json. Ends with a separator. */
export const PACKAGE_FOLDER = fileURLToPath(new URL('../../../../', import.meta.url))
