// Forms that common programs send.

import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { buildApp } from '../../build-app.ts'
import { startSite } from '../../site-server.ts'
import { CURL, PYTHON, WGET } from '../../tools.ts'

const run = promisify(execFile)
const dir = await buildApp(t, 'fields')
const { port } = await startSite(t, { dir })
const url = `http://127.0.0.1:${port}/notes`
const JSON_ACCEPT = 'Accept: application/json'
const file = join(dir, 'upload é.txt')
writeFileSync(file, 'content of the file')

async function notes(): Promise<string[]> {
  const answer = await fetch(url, { headers: { accept: 'application/json' } })
  return ((await answer.json()) as { notes: string[] }).notes
}

/** Runs curl. Returns status, `Location` and body of the response. */
async function curl(...words: string[]) {
  const format = '\n%{http_code} %header{content-type} %header{location}'
  const { stdout } = await run(CURL, ['-sS', '-w', format, ...words, url])
  const [, body = '', status, type, location] = /^(.*)\n(\d+) (.*) (.*)$/s.exec(stdout) ?? []
  return { body, status, type, location }
}

t.test('curl sends forms, files and JSON', async (t) => {
  t.match(await curl('-H', JSON_ACCEPT, '-d', 'text=by curl'), { status: '303', body: '', location: '/notes' })
  t.match(await curl('-H', JSON_ACCEPT, '-F', 'text=a file by curl', '-F', `file=@${file}`), { status: '303' })
  const json = ['-H', 'Content-Type: application/json', '-d', '{"text":"JSON by curl"}']
  t.match(await curl('-H', JSON_ACCEPT, '-X', 'PUT', ...json), { status: '303' })
  const refused = await curl('-H', JSON_ACCEPT, '-d', 'text=')
  t.match(refused, { status: '422', type: /^application\/json/ })
  t.strictSame(JSON.parse(refused.body), { problem: 'Write something.', text: '' })
  const malformed = await curl('-H', JSON_ACCEPT, '-H', 'Content-Type: application/json', '-d', '{')
  t.match(malformed, { status: '400', type: /^application\/problem\+json/ })
  t.match((await curl('-d', 'text=')).body, '<p id="problem">Write something.</p>', 'a page unless it asks for JSON')
  t.match(await notes(), ['by curl', 'a file by curl: upload é.txt content of the file', 'JSON by curl'])
})

t.test('wget sends a form and follows the redirect', async (t) => {
  const { stdout } = await run(WGET, ['-qO-', '--header', JSON_ACCEPT, '--post-data', 'text=by+wget', url])
  t.ok((JSON.parse(stdout) as { notes: string[] }).notes.includes('by wget'))
})

t.test('Python sends a form and JSON', async (t) => {
  const program = `
import json, sys, urllib.error, urllib.parse, urllib.request
url = sys.argv[1]
headers = {'Accept': 'application/json'}
body = urllib.parse.urlencode({'text': 'by Python'}).encode()
with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as answer:
    print(answer.status, json.load(answer)['notes'][-1])
headers['Content-Type'] = 'application/json'
try:
    urllib.request.urlopen(urllib.request.Request(url, json.dumps({'text': ''}).encode(), headers, method='PATCH'))
except urllib.error.HTTPError as error:
    print(error.code, json.load(error)['problem'])
`
  const { stdout } = await run(PYTHON, ['-c', program, url])
  t.equal(stdout, '200 by Python\n422 Write something.\n')
})
