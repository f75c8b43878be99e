;; regreen: after a save the tests that it can affect run, and what fails is in
;; the buffer *regreen*, where next-error finds it. Put it into
;; «.Path», for example with
;;   regreen hook emacs > «.Path»
;; and load it from your init file: (load "«.Path»")
;; It needs Emacs 26 or newer. `regreen-status' is the last verdict.
(require 'compile)

(defvar regreen-program «.Program | lisp» "The program to run.")
(defvar regreen-file-regexp «.Regexp | lisp» "The files whose saves count.")
(defvar regreen-status nil "The last verdict, or `running'.")
(defvar regreen-verdict-hook nil "Functions that are called after each verdict.")
(defvar regreen--files nil "What the run under way was told of, as an alist of root to files.")

(define-compilation-mode regreen-mode "regreen"
  "What fails after a save."
  (setq-local compilation-error-regexp-alist
              '(("^\\(.+?\\):\\([0-9]+\\):\\([0-9]+\\): error: .*$" 1 2 3 2))))

(defun regreen--buffer-name (root)
  "The name of the buffer of the repository ROOT."
  (if (equal root (car (car (last regreen--files)))) "*regreen*" (format "*regreen %s*" root)))

(defvar-local regreen--entry nil "The entry of `regreen--files' that this buffer's run is about.")

(defun regreen--ended (buffer how)
  "Take in the verdict of the run in BUFFER, which ended as HOW says."
  (with-current-buffer buffer
    (let ((code (cond ((string-prefix-p "finished" how) 0)
                      ((string-match "code \\([0-9]+\\)" how) (string-to-number (match-string 1 how))))))
      (when (memq code '(0 1 4))
        (setcdr regreen--entry nil))
      (save-excursion
        (goto-char (point-max))
        (setq regreen-status
              (if (re-search-backward "^regreen: \\(?:verdict: \\(.*\\)\\|\\(error: .*\\)\\)$" nil t)
                  (or (match-string-no-properties 1) (match-string-no-properties 2))
                (format "exit code %s" code))))
      (unless (eq code 0)
        (setq next-error-last-buffer buffer)
        (message "regreen: %s" regreen-status))
      (run-hooks 'regreen-verdict-hook))))

(defun regreen-after-save ()
  "Run the tests that the save of this buffer can affect."
  (let* ((file (and buffer-file-name (file-truename buffer-file-name)))
         (root (and file (not (file-remote-p file))
                    (string-match-p regreen-file-regexp file)
                    (locate-dominating-file file ".git"))))
    (when root
      (setq root (file-name-as-directory (expand-file-name root)))
      (let ((entry (or (assoc root regreen--files)
                       (car (push (list root) regreen--files)))))
        ;; A save supersedes the run before it, whose files are told again.
        (unless (member file (cdr entry))
          (setcdr entry (cons file (cdr entry))))
        (let* ((default-directory root)
               (name (regreen--buffer-name root))
               (compilation-always-kill t)
               (compilation-ask-about-save nil)
               (display-buffer-overriding-action '(display-buffer-no-window (allow-no-window . t)))
               (old (get-buffer name))
               (process (and old (get-buffer-process old))))
          (when process
            (with-current-buffer old (setq-local compilation-finish-functions nil))
            (set-process-sentinel process nil)
            (delete-process process))
          (setq regreen-status 'running)
          (with-current-buffer
              (compilation-start
               (mapconcat #'shell-quote-argument
                          (append (list regreen-program "save" "--wait" "--absolute" "--") (cdr entry)) " ")
               'regreen-mode (lambda (_) name))
            (setq regreen--entry entry)
            (setq-local compilation-finish-functions '(regreen--ended))))))))

(add-hook 'after-save-hook #'regreen-after-save)
;; A repair changes files: buffers without changes of their own follow it.
(global-auto-revert-mode 1)
