// The board without a browser: what visitors without JavaScript get.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createTestSite } from 'hydrant/test'

const site = await createTestSite()
after(() => site.close())

const findCard = async (text) => (await site.page('/')).data.cards.find((card) => card.text === text)

test('a visitor without JavaScript adds, moves, edits and deletes a card', async () => {
  const added = await site.submit('/?/add', { text: 'Buy paper' })
  assert.equal(added.location, '/')
  const { id, version } = await findCard('Buy paper')
  await site.submit('/?/move', { id, column: 'Doing' })
  assert.equal((await findCard('Buy paper')).column, 'Doing')
  await site.submit(`/cards/${id}?/write`, { text: 'Buy ink', version: String(version) })
  assert.ok(await findCard('Buy ink'))
  await site.submit(`/cards/${id}?/remove`, {})
  assert.equal(await findCard('Buy ink'), undefined)
})

test('who edits an older card gets the newer text, and loses nothing', async () => {
  await site.submit('/?/add', { text: 'First' })
  const { id, version } = await findCard('First')
  await site.submit(`/cards/${id}?/write`, { text: 'Second', version: String(version) })
  const refused = await site.submit(`/cards/${id}?/write`, { text: 'Third', version: String(version) })
  assert.equal(refused.status, 422)
  assert.match(refused.html, /Meanwhile, somebody has written: Second/)
  assert.match(refused.html, /value="Third"/)
})
