export function onShared() {
  throw 'text' // place: shared
}

export async function rejectShared() {
  return Promise.reject('text') // place: sharedRejection
}
