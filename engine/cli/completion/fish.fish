# fish completion for sweep
function __sweep_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l answers (command $program complete $words "$current" 2>/dev/null)
    set -q answers[1]; or return
    set -l kind (string split ' ' -- $answers[1])
    set -e answers[1]
    if set -q answers[1]
        printf '%s\n' $answers
    end
    switch $kind[1]
        case folders
            __fish_complete_directories "$current" ''
        case files
            if set -q kind[2]
                for ending in $kind[2..-1]
                    __fish_complete_suffix ".$ending" | string match -r '^.*(?:/|\.'$ending')(?:\t.*)?$'
                end
            else
                __fish_complete_path "$current"
            end
    end
end
complete -c sweep -f -a '(__sweep_complete)'
