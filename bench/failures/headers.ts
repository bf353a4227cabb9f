export interface Headers {
  readonly [name: string]: string
}

/** The headers that Chromium sends for a typed URL, without `Accept-Encoding`. */
export const BROWSER: Headers = {
  'sec-ch-ua': '"Chromium";v="156", "Not)A;Brand";v="24"',
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': '"Linux"',
  'Upgrade-Insecure-Requests': '1',
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  Accept:
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,' +
    'application/signed-exchange;v=b3;q=0.7',
  'Sec-Fetch-Site': 'none',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-User': '?1',
  'Sec-Fetch-Dest': 'document',
  'Accept-Language': 'en-US,en;q=0.9',
}

export const COMPRESSED: Headers = { ...BROWSER, 'Accept-Encoding': 'gzip, deflate, br, zstd' }
