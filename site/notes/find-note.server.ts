import { notFound, perRequest } from 'hydrant'

/** Returns the note with this id. The guard and the load of a page share one query. */
export const findNote = perRequest(
  async ({ request }, id: string) => (await request.server.notes.find(id)) ?? notFound(),
)
