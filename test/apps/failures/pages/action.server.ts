export async function action() {
  await null
  throw new Error('action') // fails: action
}
