const PHRASES = [
  {
    en: 'Good morning everyone and thank you for joining the call today',
    es: 'Buenos días a todos y gracias por unirse hoy a la llamada',
    de: 'Guten Morgen allerseits und danke für die Teilnahme am heutigen Gespräch',
    fr: "Bonjour à tous et merci de participer à l'appel aujourd'hui",
  },
  {
    en: 'I would like to start the stand-up with the numbers from last week',
    es: 'Me gustaría empezar el stand-up con las cifras de la semana pasada',
    de: 'Ich möchte das Stand-up mit den Zahlen der letzten Woche beginnen',
    fr: "J'aimerais commencer le stand-up par les chiffres de la semaine dernière",
  },
  {
    en: 'We shipped the new release on Tuesday without any trouble',
    es: 'Publicamos la nueva versión el martes sin ningún problema',
    de: 'Wir haben die neue Version am Dienstag ohne Schwierigkeiten ausgeliefert',
    fr: 'Nous avons livré la nouvelle version mardi sans aucun problème',
  },
  {
    en: 'Could you share your screen so that we can look at it together',
    es: 'Podría compartir su pantalla para que la veamos juntos',
    de: 'Könnten Sie Ihren Bildschirm teilen damit wir es gemeinsam ansehen',
    fr: 'Pourriez-vous partager votre écran pour que nous le regardions ensemble',
  },
  {
    en: 'The customer asked for a shorter report and a simpler chart',
    es: 'El cliente pidió un informe más corto y un gráfico más sencillo',
    de: 'Der Kunde wünscht sich einen kürzeren Bericht und ein einfacheres Diagramm',
    fr: 'Le client a demandé un rapport plus court et un graphique plus simple',
  },
  {
    en: 'That sounds right to me but let us check the schedule first',
    es: 'Me parece correcto pero revisemos primero el calendario',
    de: 'Das klingt richtig aber lassen Sie uns zuerst den Zeitplan prüfen',
    fr: "Cela me semble juste mais vérifions d'abord le calendrier",
  },
  {
    en: 'I will write the summary and send it to all of you tonight',
    es: 'Escribiré el resumen y se lo enviaré a todos esta noche',
    de: 'Ich schreibe die Zusammenfassung und schicke sie heute Abend an alle',
    fr: 'Je vais rédiger le résumé et vous l’envoyer à tous ce soir',
  },
  {
    en: 'Is there anything else that we should talk about before we finish',
    es: 'Hay algo más de lo que debamos hablar antes de terminar',
    de: 'Gibt es noch etwas worüber wir vor dem Ende sprechen sollten',
    fr: 'Y a-t-il autre chose dont nous devrions parler avant de finir',
  },
] as const

type Language = keyof (typeof PHRASES)[number]

function isKnownLanguage(language: string): language is Language {
  return Object.hasOwn(PHRASES[0], language)
}

/** The sentence of the n-th utterance, in a language given as BCP 47. After the last sentence the first one follows. For any other language: the English one with the tag before it. */
export function phraseOf(utterance: number, tag: string): string {
  const phrase = PHRASES[utterance % PHRASES.length] ?? PHRASES[0]
  const [language = ''] = tag.split('-')
  return isKnownLanguage(language) ? phrase[language] : `[${tag}] ${phrase.en}`
}

/** The part of a sentence that was spoken: `share` from 0 to 1, at least one word. A final one ends with a full stop. */
export function spokenPart(phrase: string, share: number, final: boolean): string {
  const words = phrase.split(' ')
  const spoken = words.slice(0, Math.max(1, Math.round(words.length * Math.min(1, share)))).join(' ')
  return final ? `${spoken}.` : spoken
}
