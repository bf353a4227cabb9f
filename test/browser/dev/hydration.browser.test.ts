// Hydration differences in development: the overlay and the terminal show what the server sent and what the browser
// rendered.

import t from 'tap'
import { developSite } from './overlay-site.ts'

const { open, dev, edit, removeErrors } = await developSite(t, 'dev')

t.test('a difference in the text is shown line by line, in the overlay and in the terminal', async (t) => {
  const { page: opened, dialog } = await open('/fails/different')
  await dialog.waitFor()
  const text = await dialog.innerText()
  t.match(text, 'The browser rendered the page /fails/different differently from the server')
  t.match(text, "Hydration failed because the server rendered text didn't match the client.")
  t.notMatch(text, 'Date.now()', 'without React’s list of possible reasons')
  t.notMatch(text, '<Boundary', 'without components of Hydrant')
  const difference = await dialog.getByRole('region', { name: 'Difference' }).innerText()
  t.match(difference, /^\+ +2\.00$/m)
  t.match(difference, /^- +1\.00$/m)
  t.match(difference, /^ +<Price>$/m)
  t.match(text, /Components\s+Price\s+pages\/fails\/different\.tsx:1:/)

  await dev.waitFor(
    /^Hydration difference {2}The browser rendered the page \/fails\/different differently from the server/,
  )
  await dev.waitFor(/^ {2}\+ +2\.00$/)
  await dev.waitFor(/^ {2}- +1\.00$/)
  t.equal(dev.lines.filter((line) => line.endsWith('1.00')).length, 1, 'it is printed once')

  await opened.keyboard.press('Escape')
  await opened.reload()
  await opened.getByRole('button', { name: '1 error' }).waitFor()
  t.notOk(await dialog.isVisible(), 'it stays closed when the page loads again')

  edit('pages/fails/different.tsx', "'2.00'", "'1.00'")
  await dev.waitFor(/^updated in/)
  await opened.waitForFunction(() => document.querySelector('hydrant-overlay') === null)
  await opened.waitForFunction(() => sessionStorage.getItem('hydrant-closed-errors') === '[]')
  edit('pages/fails/different.tsx', "'1.00' : '1.00'", "'1.00' : '2.00'")
  await dev.waitFor(/^updated in/)
  await opened.reload()
  await dialog.waitFor()
})

t.test('a difference in attributes, which React only logs, is shown as well', async (t) => {
  await removeErrors()
  const { dialog } = await open('/fails/attributes')
  await dialog.waitFor()
  const difference = await dialog.getByRole('region', { name: 'Difference' }).innerText()
  t.match(difference, /^\+ +className="browser"$/m)
  t.match(difference, /^- +className="server"$/m)
  await dev.waitFor(/^ {2}- +className="server"$/)
})
