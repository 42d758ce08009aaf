/**
 * Mistakes that only a developer can fix. `%s` is the value that was given. A production build has no
 * sentences.
 */
const MISTAKES = {
  badUrl:
    "Failed to create the voice client: url is empty, or has a query or a fragment. Give the path of the BFF, such as '/api/voice', and send what a query says in `headers`.",
  notAClient:
    'Failed to use the voice client: it is not from createVoiceClient(). Give the object that this function returns.',
  noProvider:
    'Failed to find the voice client: no VoiceProvider is above this component, or it comes from another copy of @stagepass/react. Wrap the application in <VoiceProvider client={voice}>. `npm ls @stagepass/react` shows the copies: there must be one.',
  noQueryClient:
    'Failed to find the query client: no QueryClientProvider is above this component, or it comes from another copy of @tanstack/react-query. Wrap the application in <QueryClientProvider client={queryClient}>. `npm ls @tanstack/react-query` shows the copies: there must be one.',
  userType:
    'Failed to set the user: its type is %s. Give a string or null: String(user.id) for the id of a database.',
  emptyUser: 'Failed to set the user: the id is empty. Give null while no user is signed in.',
  secondUser: 'Failed to set the user: a VoiceProvider gives this client another user. Change it there.',
  optionsOfAnother:
    'Failed to make the query options: this component is rendered for another user than the voice client has. In components, give the options the client of useVoiceClient().',
  noProduct: 'Failed to find the product %s.',
  notATime:
    'Failed to read the options: %s. Give a number of at least 1, or Infinity for no limit, or leave it out.',
  streamUrl:
    'Failed to make the address: streamUrl is not an absolute ws: or wss: URL. Give the one that came with the token.',
  sendInUse:
    'Failed to send the recording: the stream of %s is open, and its sound would be mixed. Stop the session first.',
  sendUnused:
    'Failed to send the recording: no component uses its stream of %s, so nothing would get the texts. Mount the session with the same product and key.',
  noCodec:
    "Failed to send: without a codec a stream takes text and bytes. For objects give useStream a `codec`, such as json() of '@stagepass/react/codecs'.",
}

/** The error of a set-up mistake. */
export function mistake(name: keyof typeof MISTAKES, value = ''): TypeError {
  if (process.env.NODE_ENV !== 'production') return new TypeError(MISTAKES[name].replace('%s', value))
  return new TypeError(`Failed to use Stagepass (${name}). A development build says why.`)
}
