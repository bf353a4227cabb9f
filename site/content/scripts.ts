/** A command that a page shows, and that a test runs. */
export interface Script {
  id: string
  /** The heading above the command. */
  title: string
  language: 'sh' | 'python'
  /** The command. `SITE` stands for the address of the site, without a slash at its end. */
  text: string
}

const JSON_PLEASE = "-H 'Accept: application/json'"

export const reading: readonly Script[] = [
  { id: 'read-curl', title: 'curl', language: 'sh', text: `curl ${JSON_PLEASE} SITE/notes` },
  {
    id: 'read-search',
    title: 'Only the notes that contain a text',
    language: 'sh',
    text: `curl ${JSON_PLEASE} 'SITE/notes?q=python'`,
  },
  {
    id: 'read-wget',
    title: 'wget',
    language: 'sh',
    text: `wget -qO- --header='Accept: application/json' SITE/notes`,
  },
  {
    id: 'read-python',
    title: 'Python, with its standard library',
    language: 'python',
    text: `
import json
from urllib.request import Request, urlopen

request = Request('SITE/notes', headers={'Accept': 'application/json'})
with urlopen(request) as answer:
    for note in json.load(answer)['notes']:
        print(note['id'], note['colour'], note['text'])
`,
  },
]

export const sending: readonly Script[] = [
  {
    id: 'send-form',
    title: 'A form: 303 with Location, and a cookie with which the note can be deleted',
    language: 'sh',
    text: `curl -i -c cookies.txt ${JSON_PLEASE} -d colour=blue --data-urlencode 'text=Written by curl & co.' SITE/notes`,
  },
  {
    id: 'send-json',
    title: 'JSON, following the redirect: all notes, with this one first',
    language: 'sh',
    text: `curl -L ${JSON_PLEASE} -H 'Content-Type: application/json' -d '{"text":"Written as JSON"}' SITE/notes`,
  },
  {
    id: 'send-wget',
    title: 'The same as a form, with wget',
    language: 'sh',
    text: `wget -qO- --header='Accept: application/json' --post-data='text=Written+by+wget' SITE/notes`,
  },
  {
    id: 'send-empty',
    title: 'An invalid form: 422 and the messages',
    language: 'sh',
    text: `curl -i ${JSON_PLEASE} -d text= SITE/notes`,
  },
  {
    id: 'send-python',
    title: 'Python: a note, and a note that is too long',
    language: 'python',
    text: `
import json
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

def write(text):
    body = urlencode({'text': text}).encode()
    request = Request('SITE/notes', body, {'Accept': 'application/json'})
    try:
        with urlopen(request) as answer:
            print(answer.status, json.load(answer)['notes'][0]['text'])
    except HTTPError as error:
        print(error.code, json.load(error)['errors'][0]['message'])

write('Written by Python')
write('a' * 281)
`,
  },
  {
    id: 'send-delete-refused',
    title: 'Another method, without the cookie: 403, from the guard of the page',
    language: 'sh',
    text: `curl -i -X DELETE ${JSON_PLEASE} SITE/notes/1`,
  },
  {
    id: 'send-delete',
    title: 'The same with the cookie: deletes the first note, 204',
    language: 'sh',
    text: `curl -i -b cookies.txt -X DELETE ${JSON_PLEASE} SITE/notes/1`,
  },
]

export const failing: readonly Script[] = [
  {
    id: 'fail-curl',
    title: 'A page that fails: 500, the sentence and the digest',
    language: 'sh',
    text: `curl -i ${JSON_PLEASE} SITE/failures/f3/fail`,
  },
  {
    id: 'fail-unknown',
    title: 'A page that does not exist: 404',
    language: 'sh',
    text: `curl -i ${JSON_PLEASE} SITE/notes/0`,
  },
  {
    id: 'fail-no-load',
    title: 'A page without a load has no JSON: 406',
    language: 'sh',
    text: `curl -i ${JSON_PLEASE} SITE/start`,
  },
  {
    id: 'fail-wget',
    title: 'wget prints the response with this flag, and exits with 8',
    language: 'sh',
    text: `wget -qO- --content-on-error --header='Accept: application/json' SITE/failures/f3/fail`,
  },
  {
    id: 'fail-python',
    title: 'Python: the digest, to report it',
    language: 'python',
    text: `
import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

try:
    urlopen(Request('SITE/failures/f3/fail', headers={'Accept': 'application/json'}))
except HTTPError as error:
    problem = json.load(error)
    print(problem['status'], problem['title'], problem.get('digest'))
`,
  },
]

export const looking: readonly Script[] = [
  {
    id: 'look-head',
    title: 'Only status and headers',
    language: 'sh',
    text: `curl -I ${JSON_PLEASE} SITE/notes`,
  },
  {
    id: 'look-etag',
    title: 'A document, and then only if it has changed: 200, 304',
    language: 'sh',
    text: `
curl -s -o page.html --etag-save page.etag -w '%{http_code}\\n' SITE/docs/http
curl -s -o page.html --etag-compare page.etag -w '%{http_code}\\n' SITE/docs/http
`,
  },
  {
    id: 'look-redirect',
    title: 'An extra slash: 308 to the address without it',
    language: 'sh',
    text: `curl -s -o page.html -w '%{http_code} %{redirect_url}\\n' SITE/docs/`,
  },
]

/** All scripts, in an order in which each one finds the notes that it needs. */
export const scripts: readonly Script[] = [...sending, ...reading, ...failing, ...looking]

/** Returns the text of a script for a site. `site` is the site’s address, without a slash at its end. */
export function scriptFor(site: string, { text }: Script): string {
  return text.trim().replaceAll('SITE', site)
}
